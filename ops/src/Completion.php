<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Makes the completion scripts of `larder` for shells, from the subcommands and options. */
final class Completion
{
    private const SHELLS = ['bash', 'zsh', 'fish'];

    public static function of(string $shell): ?string
    {
        return match ($shell) {
            'bash' => self::bash(),
            'zsh' => self::zsh(),
            'fish' => self::fish(),
            default => null,
        };
    }

    /** @return list<string> the words that may follow an option or a command; [] if these words are not known */
    private static function words(string $name): array
    {
        return match ($name) {
            'store' => Operations::STORES,
            'order' => Operations::ORDERS,
            'completion' => self::SHELLS,
            'help' => array_keys(Command::WORDS),
            default => [],
        };
    }

    private static function bash(): string
    {
        $cases = '';
        foreach (Options::ALL as $name => [$short, $argument]) {
            $complete = self::words($name) !== [] ? "-W '" . implode(' ', self::words($name)) . "'" : match ($argument) {
                'FILE', 'ADDRESS' => '-f', 'DIR' => '-d', 'USER' => '-u', default => "-W ''",
            };
            $cases .= $argument !== '' ? '        ' . ($short !== '' ? "-$short|" : '') . "--$name) mapfile -t COMPREPLY < <(compgen $complete -- \"\$2\"); return ;;\n" : '';
        }
        foreach (['help', 'completion'] as $word) {
            $cases .= "        $word) mapfile -t COMPREPLY < <(compgen -W '" . implode(' ', self::words($word)) . "' -- \"\$2\"); return ;;\n";
        }
        $words = implode(' ', array_keys(Command::WORDS));
        $all = implode(' ', array_map(static fn(string $name): string => "--$name", array_keys(Options::ALL)));
        $options = '';
        foreach (array_keys(Command::WORDS) as $word) {
            $options .= "            $word) words='" . implode(' ', array_map(static fn(string $name): string => "--$name", Command::optionsOf($word))) . "' ;;\n";
        }
        return <<<BASH
            # Completion of larder for bash.
            _larder() {
                case \$3 in
            {$cases}        warm) mapfile -t COMPREPLY < <(compgen -f -- "\$2"); return ;;
                esac
                local word words='$words $all'
                for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case \$word in
            $options        esac
                done
                mapfile -t COMPREPLY < <(compgen -W "\$words" -- "\$2")
            }
            complete -o filenames -F _larder larder

            BASH;
    }

    private static function zsh(): string
    {
        $quote = static fn(string $text): string => str_replace(["'", '[', ']', ':'], ["'\\''", '\\[', '\\]', '\\:'], $text);
        $commands = '';
        $options = '';
        foreach (Command::WORDS as $word => [, $help]) {
            $commands .= "        '$word:" . $quote($help) . "'\n";
            $specs = '';
            foreach (Command::optionsOf($word) as $name) {
                $specs .= ' ' . self::zshOption($name, $quote);
            }
            $operand = match (true) {
                self::words($word) !== [] => " '1:word:(" . implode(' ', self::words($word)) . ")'",
                $word === 'warm' => " '1:file:_files'",
                default => '',
            };
            $options .= "        $word) _arguments$specs$operand ;;\n";
        }
        $all = implode(' ', array_map(static fn(string $name): string => self::zshOption($name, $quote), array_keys(Options::ALL)));
        return <<<ZSH
            #compdef larder
            # Completion of larder for zsh.
            _larder() {
                local -a commands
                local state line curcontext="\$curcontext"
                commands=(
            $commands    )
                _arguments -C $all '1:command:->command' '*::argument:->argument'
                case \$state in
                command) _describe command commands ;;
                argument)
                    case \$line[1] in
            $options        esac
                    ;;
                esac
            }
            if [[ \$funcstack[1] == _larder ]]; then _larder "\$@"; else compdef _larder larder; fi

            ZSH;
    }

    /** @param callable(string): string $quote */
    private static function zshOption(string $name, callable $quote): string
    {
        [$short, $argument, $help] = Options::ALL[$name];
        $action = self::words($name) !== [] ? '(' . implode(' ', self::words($name)) . ')' : match ($argument) {
            'FILE', 'ADDRESS' => '_files', 'DIR' => '_files -/', 'USER' => '_users', default => ' ',
        };
        $value = $argument !== '' ? ':' . strtolower($argument) . ":$action" : '';
        $names = $short !== '' ? "'(-$short --$name)'{-$short,--$name}" : "--$name";
        return "$names'[" . $quote($help) . "]$value'";
    }

    private static function fish(): string
    {
        $quote = static fn(string $text): string => "'" . strtr($text, ['\\' => '\\\\', "'" => "\\'"]) . "'";
        $text = "# Completion of larder for fish.\ncomplete -c larder -f\n";
        foreach (Command::WORDS as $word => [, $help]) {
            $text .= "complete -c larder -n __fish_use_subcommand -a $word -d {$quote($help)}\n";
            if (self::words($word) !== []) {
                $text .= "complete -c larder -n '__fish_seen_subcommand_from $word' -a '" . implode(' ', self::words($word)) . "'\n";
            }
        }
        $text .= "complete -c larder -n '__fish_seen_subcommand_from warm' -F\n";
        foreach (Options::ALL as $name => [$short, $argument, $help]) {
            $heeding = array_filter(array_keys(Command::WORDS), static fn(string $word): bool => in_array($name, Command::optionsOf($word), true));
            $condition = count($heeding) < count(Command::WORDS) && $heeding !== [] ? " -n '__fish_seen_subcommand_from " . implode(' ', $heeding) . "'" : '';
            $values = self::words($name) !== [] ? " -x -a '" . implode(' ', self::words($name)) . "'" : match ($argument) {
                '' => '', 'FILE', 'ADDRESS' => ' -r -F', 'DIR' => " -x -a '(__fish_complete_directories)'", 'USER' => " -x -a '(__fish_complete_users)'", default => ' -x',
            };
            $text .= "complete -c larder$condition" . ($short !== '' ? " -s $short" : '') . " -l $name$values -d {$quote($help)}\n";
        }
        return $text;
    }
}
