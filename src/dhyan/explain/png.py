"""SVG → PNG, by a program that shapes Devanagari: drawing letter by letter would tear words apart."""

import shutil
import subprocess

from dhyan.errors import DhyanError

# program → its arguments: SVG on standard input, PNG on standard output
PROGRAMS = {
    "rsvg-convert": ["--zoom", "2"],
    "resvg": ["--zoom", "2", "-", "-c"],
    "inkscape": ["--pipe", "--export-type=png", "--export-filename=-", "--export-dpi=192"],
}


def png(svg: str) -> bytes:
    for program, arguments in PROGRAMS.items():
        path = shutil.which(program)
        if path is None:
            continue
        done = subprocess.run([path, *arguments], input=svg.encode("utf-8"), capture_output=True, check=False)
        if done.returncode == 0 and done.stdout.startswith(b"\x89PNG"):
            return done.stdout
        said = " ".join(done.stderr.decode(errors="replace").split())
        raise DhyanError(f"{program} could not draw the figure ({said or done.returncode}); write an .svg instead.")
    raise DhyanError(
        "a PNG needs rsvg-convert (Debian: apt install librsvg2-bin; macOS: brew install librsvg), resvg or inkscape;"
        " install one, or write an .svg, which every browser shows."
    )
