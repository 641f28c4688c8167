/*
 * What the engine needs changed under Wine (engine.md §1); nothing on Windows.
 *
 *  - KDNET sets a socket option (IP_RECEIVE_BROADCAST and its IPv6 twin) that Wine 8 refuses, and gives up.
 *  - It listens on all addresses; a test belongs on the loopback interface.
 *
 * The engine looks ws2_32's functions up late, by name: a changed export table of ws2_32 is what it sees. To be called
 * before dbgeng.dll is loaded.
 */
#pragma once

void apply_wine_fixes();
