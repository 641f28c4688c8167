#include "wine-fixes.h"

#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>

#include <string.h>

static const int RECEIVE_BROADCAST = 0x16;

typedef int(WSAAPI *SetSockOpt)(SOCKET, int, int, const char *, int);
typedef int(WSAAPI *Bind)(SOCKET, const sockaddr *, int);
static SetSockOpt real_setsockopt;
static Bind real_bind;

static int WSAAPI lenient_setsockopt(SOCKET socket, int level, int option, const char *value, int length) {
  if ((level == IPPROTO_IP || level == IPPROTO_IPV6) && option == RECEIVE_BROADCAST) return 0;
  return real_setsockopt(socket, level, option, value, length);
}

static int WSAAPI loopback_bind(SOCKET socket, const sockaddr *address, int length) {
  sockaddr_storage changed = {};
  if (length < 0 || length > static_cast<int>(sizeof changed)) return real_bind(socket, address, length);
  memcpy(&changed, address, length);
  auto *v4 = reinterpret_cast<sockaddr_in *>(&changed);
  auto *v6 = reinterpret_cast<sockaddr_in6 *>(&changed);
  if (changed.ss_family == AF_INET && v4->sin_addr.s_addr == INADDR_ANY) v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (changed.ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr)) v6->sin6_addr.s6_addr[15] = 1;
  return real_bind(socket, reinterpret_cast<sockaddr *>(&changed), length);
}

/* Export entries are offsets of 32 bits from the library: the jump has to lie above it, within reach. */
static BYTE *memory_above(BYTE *library, DWORD size) {
  const ULONG_PTR step = 0x10000, reach = 0x70000000;
  const ULONG_PTR base = reinterpret_cast<ULONG_PTR>(library);
  for (ULONG_PTR at = (base + size + step - 1) & ~(step - 1); at < base + reach; at += step) {
    void *got = VirtualAlloc(reinterpret_cast<void *>(at), 0x1000, MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);
    if (got) return static_cast<BYTE *>(got);
  }
  return nullptr;
}

static void *replace_export(BYTE *library, const char *name, void *replacement) {
  const auto *dos = reinterpret_cast<IMAGE_DOS_HEADER *>(library);
  const auto *headers = reinterpret_cast<IMAGE_NT_HEADERS *>(library + dos->e_lfanew);
  const DWORD at = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress;
  const auto *exports = reinterpret_cast<IMAGE_EXPORT_DIRECTORY *>(library + at);
  const auto *names = reinterpret_cast<DWORD *>(library + exports->AddressOfNames);
  const auto *ordinals = reinterpret_cast<WORD *>(library + exports->AddressOfNameOrdinals);
  auto *functions = reinterpret_cast<DWORD *>(library + exports->AddressOfFunctions);
  for (DWORD i = 0; i < exports->NumberOfNames; i++) {
    if (strcmp(reinterpret_cast<char *>(library + names[i]), name) != 0) continue;
    BYTE *jump = memory_above(library, headers->OptionalHeader.SizeOfImage);
    if (!jump) return nullptr;
    const BYTE load_rax[] = {0x48, 0xb8}, jump_rax[] = {0xff, 0xe0};
    memcpy(jump, load_rax, sizeof load_rax);
    memcpy(jump + 2, &replacement, sizeof replacement);
    memcpy(jump + 10, jump_rax, sizeof jump_rax);
    DWORD *entry = &functions[ordinals[i]];
    void *original = library + *entry;
    DWORD protection = 0;
    VirtualProtect(entry, sizeof *entry, PAGE_READWRITE, &protection);
    *entry = static_cast<DWORD>(jump - library);
    VirtualProtect(entry, sizeof *entry, protection, &protection);
    return original;
  }
  return nullptr;
}

void apply_wine_fixes() {
  const HMODULE ntdll = GetModuleHandleA("ntdll.dll");
  if (!ntdll || !GetProcAddress(ntdll, "wine_get_version")) return;
  auto *sockets = reinterpret_cast<BYTE *>(LoadLibraryA("ws2_32.dll"));
  if (!sockets) return;
  real_setsockopt = reinterpret_cast<SetSockOpt>(
      replace_export(sockets, "setsockopt", reinterpret_cast<void *>(lenient_setsockopt)));
  real_bind = reinterpret_cast<Bind>(replace_export(sockets, "bind", reinterpret_cast<void *>(loopback_bind)));
}
