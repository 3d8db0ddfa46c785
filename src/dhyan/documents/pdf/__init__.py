"""PDF: its text as Markdown, translated as such.

A PDF has no paragraphs, only pieces of text at places on a page. `page_lines` finds the lines and the order in which
they are read, `blocks` makes headings, paragraphs, lists and tables of them, `pdf_document` is the file that is
translated.
"""
