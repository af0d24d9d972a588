# Prints the first Python 3.11 or newer it finds; prints nothing where there is none.
for name in python3.13 python3.12 python3.11 python3.14 python3 python; do
    if "$name" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        command -v "$name"
        exit 0
    fi
done
