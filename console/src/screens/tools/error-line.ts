/** The line of a tool's code that an error names. JavaScript begins with where it happened, Python ends with it. */
export function lineOf(message: string): number | null {
  const inScript = /\btool:(\d+)/.exec(message)?.[1]
  const inPython = [...message.matchAll(/\bline (\d+)\b/g)].at(-1)?.[1]
  const line = Number(inScript ?? inPython)
  return line > 0 ? line : null
}
