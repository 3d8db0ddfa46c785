"""Small PDF files by hand: texts at places, in fonts that every reader has."""

FONTS = {"plain": "Helvetica", "bold": "Helvetica-Bold", "code": "Courier"}


def pdf(path, pages):
    """A file with these pages; each is a list of (x, y, size, text) or (x, y, size, text, font)."""
    objects = []

    def add(content):
        objects.append(content)
        return len(objects)

    fonts = " ".join(
        f"/{key} {add(f'<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>')} 0 R"
        for key, name in FONTS.items()
    )
    parent = len(objects) + 2 * len(pages) + 1
    kids = []
    for page in pages:
        stream = "".join(_shown(*piece) for piece in page)
        content = add(f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream")
        kids.append(
            add(
                f"<< /Type /Page /Parent {parent} 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R "
                f"/Resources << /Font << {fonts} >> >> >>"
            )
        )
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    add(f"<< /Type /Pages /Kids [{listed}] /Count {len(kids)} >>")
    catalog = add(f"<< /Type /Catalog /Pages {parent} 0 R >>")
    data = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    data += (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {len(objects) + 1} /Root {catalog} 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    ).encode()
    path.write_bytes(data)
    return path


def _shown(x, y, size, text, font="plain"):
    text = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET\n"


def column(lines, x=72, top=780, size=11, spacing=14, font="plain"):
    """Lines below each other; an empty one is a gap."""
    return [(x, top - spacing * number, size, line, font) for number, line in enumerate(lines) if line]
