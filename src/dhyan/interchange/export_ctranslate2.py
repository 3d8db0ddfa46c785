"""A pack → a folder that plain CTranslate2 loads, with the pack's tokenizers."""

from pathlib import Path

from dhyan.engines.convert import Compute, convert_pack
from dhyan.interchange.describe import save_tokenizers
from dhyan.pack.pack import Pack
from dhyan.pack.repack import describe_export


def export(pack: Pack, folder: Path, compute: Compute) -> None:
    convert_pack(pack, folder, compute)
    save_tokenizers(pack, folder)
    describe_export(pack, folder)
