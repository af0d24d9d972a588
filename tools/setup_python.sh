# Makes the virtual environment $2 with the Python $1, and installs the package in it with all that tests and demo need.
set -eu
python=$1
venv=$2

if ! "${python:-false}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "Python 3.11 or newer is needed and ${python:-none} is not one; name one with: make PYTHON=/path/to/python3.11" >&2
    exit 1
fi
bin=bin
if [ "${OS:-}" = Windows_NT ]; then
    bin=Scripts
fi
if [ ! -x "$venv/$bin/python" ] && ! "$python" -m venv "$venv"; then
    rm -rf "$venv"
    echo "'$python -m venv' failed; where Python lacks it, install it first (on Debian: apt-get install python3-venv)." >&2
    exit 1
fi
echo "Installing the Python packages into $venv (once; a few minutes)"
exec "$venv/$bin/python" -m pip install --quiet --disable-pip-version-check --no-input -e '.[dev]'
