# Prints the first Python it finds that is 3.$1 or newer (default: 3.11), or nothing.
oldest=${1:-11}
for name in python3.13 python3.12 python3.11 python3.14 python3 python "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1*/bin/python; do
    if "$name" -c "import sys, venv; sys.exit(sys.version_info < (3, $oldest))" 2>/dev/null; then
        command -v "$name"
        exit 0
    fi
done
