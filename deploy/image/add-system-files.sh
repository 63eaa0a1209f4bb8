#!/bin/sh
# add-system-files.sh FOLDER: adds to a root file system with a release what Node needs of a system,
# and nothing else: libraries, certificates, a user, folders. Runs in the stage that builds.
set -eu
root=$1
release=$root/opt/miftah

libraries=$(ldd "$release/bin/node" | grep -o '/[^ ]*')
for library in $libraries; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done

mkdir -p "$root/etc/ssl/certs" "$root/usr/libexec/miftah" "$root/tmp" "$root/run/secrets"
chmod 1777 "$root/tmp"
# For `node --use-system-ca`, and for sslrootcert in DATABASE_URL. Node brings its own list as well.
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp "$(dirname "$0")/is-ready.mjs" "$root/usr/libexec/miftah/"
chmod 644 "$root/usr/libexec/miftah/is-ready.mjs"
echo 'root:x:0:0:root:/:/sbin/nologin
miftah:x:10001:10001:Miftah:/var/lib/miftah:/sbin/nologin' > "$root/etc/passwd"
echo 'root:x:0:
miftah:x:10001:' > "$root/etc/group"
mkdir -p "$root/var/lib/miftah" "$root/var/lib/miftah-head"
chown 10001:10001 "$root/var/lib/miftah" "$root/var/lib/miftah-head"

# Scanners for known faults recognise the libraries by these records, and their licenses ask for a
# copy of themselves.
cp -L /usr/lib/os-release "$root/etc/os-release"
command -v dpkg-query > /dev/null || exit 0
mkdir -p "$root/var/lib/dpkg/status.d"
packages=$(for library in $libraries; do
  dpkg-query --search "*/$(basename "$(readlink -f "$library")")" | cut -d : -f 1
done | sort -u)
for package in $packages ca-certificates; do
  dpkg-query --status "$package" > "$root/var/lib/dpkg/status.d/$package"
  mkdir -p "$root/usr/share/doc/$package"
  cp -L "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/"
done
