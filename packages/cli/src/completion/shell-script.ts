export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

/** The script that a shell loads. It calls `skillhold completion <shell> -- <words>` on each Tab. */
export function shellScript(shell: Shell): string {
  return scripts[shell];
}

const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Load with: source <(skillhold completion bash)
_skillhold() {
  local IFS=$'\\n'
  COMPREPLY=($(skillhold completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -o filenames -F _skillhold skillhold
`,
  zsh: `#compdef skillhold
# Load with: source <(skillhold completion zsh)
_skillhold() {
  local -a found
  found=("\${(@f)$(skillhold completion zsh -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ -n "\${found[1]}" ]]; then _describe skillhold found; else _files; fi
}
compdef _skillhold skillhold
`,
  fish: `# Load with: skillhold completion fish | source
function __skillhold_complete
  set --local words (commandline --tokenize --cut-at-cursor) (commandline --current-token --cut-at-cursor)
  set --local found (skillhold completion fish -- $words[2..] 2> /dev/null)
  if test (count $found) -gt 0
    string join \\n $found
  else
    __fish_complete_path (commandline --current-token)
  end
end
complete --command skillhold --no-files --arguments "(__skillhold_complete)"
`,
  powershell: `# Load with: skillhold completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName skillhold -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq "") { $words += "" }
  skillhold completion powershell -- @words 2> $null | ForEach-Object {
    $parts = $_ -split "\`t", 2
    [System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], "ParameterValue", $parts[-1])
  }
}
`,
};
