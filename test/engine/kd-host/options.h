/* The command line of kd.exe, as far as the engine alone can follow it (kd-behaviour.md §1.1). */
#pragma once
#include <string>
#include <vector>

struct Options {
  /* What others may connect to; what to connect to (kd-behaviour.md §9). */
  std::string server;
  std::string remote;
  /* What follows -k; empty: kd's default, the first serial port. */
  std::string connection;
  bool local_kernel = false;
  std::vector<std::string> dumps;
  std::string symbol_path;
  std::string image_path;
  bool has_initial_command = false;
  std::string initial_command;
  std::string log_file;
  bool log_append = false;
  bool log_unicode = false;
  bool break_on_connect = false;
  bool break_on_load = false;
  bool quiet = false;
  bool no_shell = false;
  bool show_version = false;
};

/* False, with the option's text in `unknown`, for one that is not known or lacks its value. */
bool parse_options(int count, char **arguments, Options &options, std::string &unknown);
