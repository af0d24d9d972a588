# Makes the environment $3 with the extra $1 on top of the environment $2 of the package, without installing its packages again.
set -eu
extra=$1
package=$2
venv=$3
[ -x "$venv/bin/python" ] || "$package/bin/python" -m venv "$venv"
echo "Installing what '.[$extra]' adds into $venv (once; half a minute)"
# Jupyter stores files such as front-end extensions next to the packages; programs look in their own environment first.
"$venv/bin/python" - "$package" <<'SETUP'
import subprocess, sys, sysconfig
from pathlib import Path

package = Path(sys.argv[1]).absolute()
ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
packages = subprocess.check_output([package / "bin" / "python", "-c", ask], text=True).strip()
places = {
    "JUPYTER_PATH": str(package / "share" / "jupyter"),
    "JUPYTER_CONFIG_PATH": str(package / "etc" / "jupyter"),
    "JUPYTERLAB_DIR": str(package / "share" / "jupyter" / "lab"),
}
line = f"import os, site; site.addsitedir({packages!r}); [os.environ.setdefault(*one) for one in {places!r}.items()]\n"
Path(sysconfig.get_path("purelib"), "package.pth").write_text(line)
SETUP
exec "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input -e ".[$extra]"
