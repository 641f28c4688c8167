#include "options.h"

static bool take_flag(const std::string &name, Options &options) {
  if (name == "kl") options.local_kernel = true;
  else if (name == "bonc") options.break_on_connect = true;
  else if (name == "d") options.break_on_load = true;
  else if (name == "kqm") options.quiet = true;
  else if (name == "noshell") options.no_shell = true;
  else if (name == "version") options.show_version = true;
  /* No longer supported by kd.exe, which then just waits (§1.1). */
  else if (name != "b") return false;
  return true;
}

static bool take_log(const std::string &name, const std::string &value, Options &options) {
  if (name != "logo" && name != "loga" && name != "logou" && name != "logau") return false;
  options.log_file = value;
  options.log_append = name[3] == 'a';
  options.log_unicode = name.back() == 'u';
  return true;
}

static bool take_value(const std::string &name, const std::string &value, Options &options) {
  if (name == "server") options.server = value;
  else if (name == "remote") options.remote = value;
  else if (name == "k") options.connection = value;
  else if (name == "z") options.dumps.push_back(value);
  else if (name == "y") options.symbol_path = value;
  else if (name == "i") options.image_path = value;
  else if (name == "c") {
    options.has_initial_command = true;
    options.initial_command = value;
  } else return take_log(name, value, options);
  return true;
}

bool parse_options(int count, char **arguments, Options &options, std::string &unknown) {
  for (int i = 1; i < count; i++) {
    const std::string argument = arguments[i];
    unknown = argument;
    if (argument.size() < 2 || (argument[0] != '-' && argument[0] != '/')) return false;
    const std::string name = argument.substr(1);
    if (take_flag(name, options)) continue;
    if (i + 1 == count || !take_value(name, arguments[i + 1], options)) return false;
    i++;
  }
  return true;
}
