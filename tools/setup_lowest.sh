# Makes the environment $2 with the Python $1 and the lowest versions that pyproject.toml allows.
set -eu
python=$1
venv=$2
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
echo "Installing the lowest versions into $venv (once; half a minute)"
pip="$venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input"
$pip uv
# Use the certificates of the system, as pip does, for networks with a certificate of their own. Older versions of uv read the second name.
export UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1
lowest="$venv/bin/uv pip install --quiet --python $venv/bin/python"
# Only packages that a user installs are old; tools of the tests come in their newest versions.
$lowest --resolution lowest-direct -e '.[all,dask]'
exec $lowest hypothesis pytest pytest-timeout pytest-xdist pynumpress 'moto[server]' polars duckdb
