"""Files that are not read, and the way there is for each of them."""

from pathlib import Path

_WAYS = {
    "save it as .docx": "doc dot wps wpd rtf pages sxw fodt hwp abw",
    "save it as .pptx": "ppt pps pot key sxi fodp",
    "save it as .xlsx": "xls xlt xlsb numbers sxc fods",
    "convert it to .epub, for instance with Calibre": "mobi azw azw3 kfx fb2 lit",
    "convert it to .pdf": "djvu xps ps eps indd pub svg",
    "run a text recognition (OCR) over it and translate its text": "png jpg jpeg gif bmp tif tiff webp heic",
    "translate its subtitles (.srt or .vtt)": "mp4 mkv avi mov webm mp3 wav m4a ogg flac",
    "unpack it and translate the folder": "zip tar gz bz2 xz 7z rar",
    "save the message as .txt or .html": "eml msg mbox",
    "convert it to .md or .html, for instance with pandoc": "tex latex org adoc textile docbook mediawiki",
}
_WAY_OF = {suffix: way for way, suffixes in _WAYS.items() for suffix in suffixes.split()}


def way_for(file: Path) -> str | None:
    """What to do with a file whose format is known but not read; None if nothing is known of it."""
    return _WAY_OF.get(file.suffix.lower().removeprefix("."))
