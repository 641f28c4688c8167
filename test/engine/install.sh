#!/bin/sh
# Makes a kd for Linux out of Microsoft's debugger engine: Wine, a compiler for Windows, the engine from NuGet, and the
# console program in kd-host/. Debian or Ubuntu; the .NET SDK must be there (only `dotnet restore` is used). May be run
# again at will. Its output is a folder with
#
#   kd           starts like kd.exe: same arguments, pipes, any working folder; SIGINT to it is Ctrl+C
#   kd-korean    the same on a host whose ANSI code page is 949
#   user.dmp     a dump of a Windows program
#
# Where something is missing that this may not install, it says so and ends with 75 (EX_TEMPFAIL).
#
# The engine is the package Microsoft.Debugging.Platform.DbgEng. Its licence is the Microsoft Software License Terms for
# the Windows SDK (https://aka.ms/WinSDKLicenseURL): it is restored from NuGet on the machine that runs the tests, kept in
# a cache outside the checkout, and never committed or shipped.
set -eu
version=20260109.1235.0
here=$(cd "$(dirname "$0")" && pwd)

if ! command -v dotnet >/dev/null; then
  echo 'missing: the .NET SDK (https://dotnet.microsoft.com/download), for dotnet restore' >&2
  exit 75
fi
wine=$(sh "$here/../wine/install.sh" locales) || exit
cache="$wine/engine-$version"
mkdir -p "$cache/bin"
exec 9>"$cache/lock"
flock 9

package="$cache/packages/microsoft.debugging.platform.dbgeng/$version"
if [ ! -f "$package/.nupkg.metadata" ]; then
  mkdir -p "$cache/restore"
  cat >"$cache/restore/restore.csproj" <<PROJECT
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>netstandard2.0</TargetFramework><DisableImplicitFrameworkReferences>true</DisableImplicitFrameworkReferences></PropertyGroup>
  <ItemGroup><PackageReference Include="Microsoft.Debugging.Platform.DbgEng" Version="[$version]" /></ItemGroup>
</Project>
PROJECT
  dotnet restore "$cache/restore" --packages "$cache/packages" --nologo >&2 9>&-
fi
for library in dbgeng dbghelp dbgcore dbgmodel msdia140; do
  [ -f "$cache/bin/$library.dll" ] || cp "$package/content/amd64/$library.dll" "$cache/bin/"
done

sources=$(cat "$here"/kd-host/*.h "$here"/kd-host/*.cpp | sha256sum)
if [ "$(cat "$cache/built" 2>/dev/null)" != "$sources" ]; then
  rm -f "$cache/built"
  for source in "$here"/kd-host/*.cpp; do
    x86_64-w64-mingw32-g++ -std=c++17 -O1 -Wall -Wextra -Werror -isystem "$package/build/native/inc" \
      -c "$source" -o "$cache/$(basename "$source" .cpp).o"
  done
  x86_64-w64-mingw32-g++ "$cache"/*.o -o "$cache/bin/kd-host.exe" -static -lole32 -luuid -lversion -lws2_32
  rm "$cache"/*.o
  echo "$sources" >"$cache/built"
fi

# Microsoft's libraries instead of Wine's own of the same name, for this program alone, whoever starts it.
if [ ! -f "$wine/prefix/engine-libraries" ]; then
  for library in dbgeng dbghelp dbgcore dbgmodel msdia140; do
    WINEPREFIX="$wine/prefix" WINEDEBUG=-all DISPLAY= wine reg add \
      'HKCU\Software\Wine\AppDefaults\kd-host.exe\DllOverrides' /v "$library" /d native /f >&2 </dev/null 9>&-
  done
  touch "$wine/prefix/engine-libraries"
fi

if [ ! -s "$cache/user.dmp" ]; then
  x86_64-w64-mingw32-gcc -O1 -Wall "$here/make-dump.c" -o "$cache/bin/make-dump.exe"
  # Wine's own dbghelp writes it; Microsoft's cannot look into a process of Wine.
  WINEPREFIX="$wine/prefix" WINEDEBUG=-all DISPLAY= WINEDLLOVERRIDES='dbghelp=b' \
    wine "$cache/bin/make-dump.exe" "$cache/user.dmp" >&2 </dev/null 9>&-
fi

# A Korean locale makes Wine's ANSI code page 949.
[ -d "$cache/locale/ko_KR.UTF-8" ] || { mkdir -p "$cache/locale" && localedef -i ko_KR -f UTF-8 "$cache/locale/ko_KR.UTF-8"; }

# wrapper NAME LOCALE: `exec` keeps the process id, so that signals to the wrapper reach the engine.
wrapper() {
  cat >"$cache/$1.new" <<WRAPPER
#!/bin/sh
export WINEPREFIX='$wine/prefix' WINEDEBUG=-all DISPLAY= LOCPATH='$cache/locale' LC_ALL=$2
exec wine '$cache/bin/kd-host.exe' "\$@"
WRAPPER
  chmod +x "$cache/$1.new"
  mv "$cache/$1.new" "$cache/$1"
}
wrapper kd C.UTF-8
wrapper kd-korean ko_KR.UTF-8
echo "$cache"
