#include "apps/completion.hpp"

namespace warpgrade::apps {

namespace {

/// "{auto,gpu,sim}" in the description of a value, as CLI::IsMember writes it.
std::vector<std::string> choices_of(const CLI::Option &option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

const CLI::Option *named(const CLI::App &app, const std::string &word) {
  if (word.size() < 2 || word[0] != '-') return nullptr;
  for (const CLI::Option *option : app.get_options())
    if (option->check_name(word)) return option;
  return nullptr;
}

void keep_matching(std::vector<std::string> &words, const std::string &begun) {
  std::erase_if(words, [&](const std::string &w) { return !w.starts_with(begun); });
}

constexpr const char *bash = R"script(# For ~/.bashrc:   eval "$(./grade completion bash)"
_warpgrade_grade() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]/#\~/$HOME}" completion --candidates "$COMP_CWORD" "${COMP_WORDS[@]:1}" 2>/dev/null))
}
complete -o bashdefault -o default -F _warpgrade_grade grade
)script";

constexpr const char *zsh = R"script(# For ~/.zshrc:   eval "$(./grade completion zsh)"
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_warpgrade_grade() {
  local -a found
  found=("${(@f)$(${~words[1]} completion --candidates $((CURRENT - 1)) "${(@)words[2,-1]}" 2>/dev/null)}")
  if [[ -n $found[1] ]]; then compadd -- $found; else _files; fi
}
compdef _warpgrade_grade grade
)script";

constexpr const char *fish = R"script(# For ~/.config/fish/config.fish:   ./grade completion fish | source
function __warpgrade_grade
    set -l before (commandline -opc)
    $before[1] completion --candidates (count $before) $before[2..-1] (commandline -ct) 2>/dev/null
end
complete -c grade -a '(__warpgrade_grade)'
)script";

}  // namespace

std::vector<std::string> candidates(const CLI::App &app, const std::vector<std::string> &before,
                                    const std::string &begun, const std::vector<std::string> &positionals) {
  std::vector<std::string> found;
  if (!before.empty()) {
    // bash makes a word of its own of the "=" in --device=gpu.
    const std::string &last =
        before.back() == "=" && before.size() > 1 ? before[before.size() - 2] : before.back();
    if (const CLI::Option *option = named(app, last); option && option->get_items_expected_max() > 0) {
      found = choices_of(*option);
      keep_matching(found, begun);
      return found;
    }
  }
  if (!begun.empty() && begun[0] == '-') {
    for (const CLI::Option *option : app.get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string &name : option->get_lnames()) found.push_back("--" + name);
      for (const std::string &name : option->get_snames()) found.push_back("-" + name);
    }
  } else {
    found = positionals;
  }
  keep_matching(found, begun);
  return found;
}

std::string completion_script(const std::string &shell) {
  return shell == "bash" ? bash : shell == "zsh" ? zsh : shell == "fish" ? fish : "";
}

}  // namespace warpgrade::apps
