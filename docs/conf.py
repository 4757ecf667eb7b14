"""The documentation as a site: `make docs` builds build/docs.

The pages are Markdown that can be read on GitHub too. The reference is made from the
installed package: its docstrings and its command line.
"""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "pt2triage"
author = "pt2triage contributors"
copyright = author
version = release = installed_version("pt2triage")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "api_names",
    "cli_help",
]

# Headings can be linked to, as GitHub does it.
myst_heading_anchors = 4

default_role = "code"  # single backticks of docstrings
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": True}

napoleon_use_ivar = True  # attributes are told by their annotations too

# Every reference has to lead somewhere, but for those to what is documented elsewhere
# (nothing is fetched for them) and to types that only a checker knows.
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", r"(collections\.abc|pandas|datetime|os)\..*"),
    ("py:class", r"(pt2triage\._\w+|_\w+)\.\w+"),
    ("py:class", r"\w+(\[.*)?"),
]

html_theme = "furo"
html_title = f"pt2triage {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
