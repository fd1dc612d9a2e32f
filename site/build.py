"""Build the site of the course: python site/build.py FOLDER

Needs the extra "site": python -m pip install -e ".[site]". No notebook is run. The network is
needed only for the page about GPT-2, whose files are downloaded once; without them it is left out.
JupyterLite, which runs notebooks in the browser, goes into the folder "lite" of the site;
``--without-lite`` leaves it out.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NOTEBOOKS = ROOT / "notebooks"

# JupyterLite waits for ever, and in silence, for a Python that can't be loaded.
LITE_NOTE = """\
<script>
fetch("ADDRESS", {method: "HEAD"}).catch(() => {
  const note = document.createElement("button");
  note.setAttribute("role", "alert");
  note.style.cssText = "position:fixed;inset:auto 0 0;z-index:99;padding:12px;border:0;"
    + "background:#8a5a00;color:#fff;font:16px system-ui,sans-serif;cursor:pointer";
  note.textContent = "Python can’t be loaded: HOST can’t be reached from here. The notebooks "
    + "can be read, but not run, until it can. (Click to close this.)";
  note.onclick = () => note.remove();
  document.body.append(note);
});
</script>
"""


def notebooks_for_the_browser() -> list[Path]:
    """Return the notebooks that need neither a download nor PyTorch, in the order of the course."""
    chosen = []
    for path in sorted(NOTEBOOKS.rglob("*.ipynb"), key=lambda path: path.name):
        if path.parent.name == ".ipynb_checkpoints":
            continue
        metadata = json.loads(path.read_text("utf-8"))["metadata"]
        if not metadata.get("bpe_teach"):
            chosen.append(path)
    return chosen


def set_up_for_the_browser(text: str) -> str:
    """Return a notebook whose first code cell gets the package from the site itself.

    Its stored outputs are in one piece: JupyterLite would put commas between their lines.
    """
    notebook = json.loads(text)
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = ["%pip install -q bpe-teach\n", *first["source"]]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":  # badges are words: their pictures lie elsewhere
            cell["source"] = re.sub(r"!\[(.*?)\]\(https?:.*?\)", r"\1", "".join(cell["source"]))
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            pieces = {kind: value for kind, value in data.items() if isinstance(value, list)}
            data.update({kind: "".join(value) for kind, value in pieces.items()})
    return json.dumps(notebook, ensure_ascii=False)


def run(*command: str | Path, where: Path = ROOT) -> None:
    """Run a Python program in a folder. If it fails, show what it wrote and end with its code."""
    command = [sys.executable, "-m", *map(str, command)]
    written = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8"}
    done = subprocess.run(command, cwd=where, **written)
    if done.returncode:
        print(done.stdout)
        sys.exit(done.returncode)


def build_pages(folder: Path, work: Path) -> None:
    """Build all pages. A warning is an error."""
    quiet = ["-q", "-W", "--keep-going", "-j", "auto"]
    run("sphinx", "-b", "html", *quiet, "-c", HERE, "-d", work / "doctrees", ROOT, folder)


def build_lite(folder: Path, work: Path) -> None:
    """Build JupyterLite with the notebooks and the package."""
    contents = work / "contents"
    for path in notebooks_for_the_browser():
        copy = contents / path.relative_to(NOTEBOOKS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(set_up_for_the_browser(path.read_text("utf-8")), "utf-8")
    run("hatchling", "build", "-t", "wheel", "-d", work / "wheels")
    (wheel,) = (work / "wheels").glob("*.whl")
    lite = ["--lite-dir", work, "--contents", contents, "--piplite-wheels", wheel]
    options = ["--apps", "lab", "--no-sourcemaps", "--no-unused-shared-packages"]
    run("jupyter", "lite", "build", *lite, *options, "--output-dir", folder / "lite", where=work)
    from jupyterlite_pyodide_kernel.constants import PYODIDE_LOCK_DEFAULT_URL as address

    page = folder / "lite" / "lab" / "index.html"
    note = LITE_NOTE.replace("ADDRESS", address).replace("HOST", urlsplit(address).hostname)
    page.write_text(page.read_text("utf-8").replace("</body>", f"{note}</body>"), "utf-8")


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the site goes")
    parser.add_argument("--without-lite", action="store_true", help="leave JupyterLite out")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    with TemporaryDirectory() as work:
        build_pages(folder, Path(work))
        if not arguments.without_lite:
            build_lite(folder, Path(work))
    print(f"the site is in {folder}")


if __name__ == "__main__":
    main()
