# Makes the environments $2 (the package with its peers) and $3 (tiledb-cf, which needs an older tiledb) with the Python $1.
set -eu
python=$1
peers=$2
cf=$3
pip="-m pip install --quiet --disable-pip-version-check --no-input"

if ! "${python:-false}" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
    echo "The peers need Python 3.12 or newer and ${python:-none} is not one; install one (pyenv install 3.12, or uv python" \
        "install 3.12) and name it: make test-peers PEER_PYTHON=/path/to/python3.12" >&2
    exit 1
fi
for venv in "$peers" "$cf"; do
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
done
echo "Installing the peers into $peers and $cf (once; more than 1 GB)"
"$peers/bin/python" $pip -e '.[dev,peers]'
exec "$cf/bin/python" $pip tiledb-cf==0.9.1 tiledb==0.32.5 netCDF4 xarray
