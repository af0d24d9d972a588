# Makes the environment $2, in which Sphinx stands on top of the environment $1 of the package: what is there is not installed again.
set -eu
package=$1
venv=$2
[ -x "$venv/bin/python" ] || "$package/bin/python" -m venv "$venv"
echo "Installing Sphinx into $venv (once; half a minute)"
where='import sysconfig; print(sysconfig.get_path("purelib"))'
printf 'import site; site.addsitedir(%s)\n' "'$("$package/bin/python" -c "$where")'" >"$("$venv/bin/python" -c "$where")/package.pth"
exec "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input -e '.[docs]'
