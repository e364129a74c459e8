/**
 * Returns the line of the tool's code that an error names, or null. In a stack trace, JavaScript lists the innermost
 * call first, and Python lists it last.
 */
export function lineOf(message: string): number | null {
  const inScript = /\btool:(\d+)/.exec(message)?.[1]
  const inPython = [...message.matchAll(/\bline (\d+)\b/g)].at(-1)?.[1]
  const line = Number(inScript ?? inPython)
  return line > 0 ? line : null
}
