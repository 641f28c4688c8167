/*
 * kd's stdin (kd-behaviour.md §4.3, §5.2, §5.6). A thread of its own reads it, so that the control keys 02 and 06 act at
 * once; all other lines wait until the debugger asks for one.
 */
#pragma once
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <windows.h>

#include <deque>
#include <functional>
#include <string>

class Input {
public:
  /* `on_break`: Ctrl+F. `on_quit`: Ctrl+B. `on_line`: there is one more, or there will be none. On the reading thread. */
  void start(std::function<void()> on_break, std::function<void()> on_quit, std::function<void()> on_line);

  enum class Next { line, none_yet, ended };
  /* The next line, without its line end, if there is one; `ended`: the writer is gone and nothing is left. */
  Next next_line(std::string &line);

  /* The next line goes to `taker`, on another thread than the caller's; used while a command itself asks. */
  void give_next_line_to(std::function<void(const std::string &)> taker);

  /* The command asks no longer. */
  void forget_taker();

private:
  void read_all();
  void take(const char *bytes, DWORD count);
  bool take_control_key(char key);
  void finish_line();
  void deliver();
  static DWORD WINAPI thread(LPVOID self);

  std::function<void()> on_break_;
  std::function<void()> on_quit_;
  std::function<void()> on_line_;
  CRITICAL_SECTION lock_;
  CONDITION_VARIABLE changed_;
  std::deque<std::string> lines_;
  std::function<void(const std::string &)> taker_;
  bool ended_ = false;

  /* Of the reading thread alone. */
  std::string partial_;
  bool at_line_start_ = true;
  bool swallowing_ = false;
};
