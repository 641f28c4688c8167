/* Writes a dump of itself: make-dump FILE. */
#include <windows.h>
#include <stdio.h>

typedef BOOL(WINAPI *WriteDump)(HANDLE, DWORD, HANDLE, int, void *, void *, void *);

int main(int count, char **arguments) {
  HMODULE library = LoadLibraryA("dbghelp.dll");
  WriteDump write_dump = library ? (WriteDump)(void *)GetProcAddress(library, "MiniDumpWriteDump") : NULL;
  if (count < 2 || !write_dump) return 1;
  HANDLE file = CreateFileA(arguments[1], GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return 1;
  BOOL written = write_dump(GetCurrentProcess(), GetCurrentProcessId(), file, 0, NULL, NULL, NULL);
  if (!written) fprintf(stderr, "no dump, error %lu\n", GetLastError());
  return written ? 0 : 1;
}
