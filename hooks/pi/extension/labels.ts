// Labels of options, one line each. pi returns the chosen line, so equal lines are numbered.

export function labels(options: any[]): string[] {
  const seen = new Set<string>();
  return options.map((option) => {
    const plain = oneLine(option.description ? `${option.label} - ${option.description}` : option.label);
    let line = plain;
    for (let n = 2; seen.has(line); n++) line = `${plain} (${n})`;
    seen.add(line);
    return line;
  });
}

function oneLine(text: string): string {
  return String(text).replace(/\s+/g, " ").trim();
}
