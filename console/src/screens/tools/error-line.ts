/** Finds the line of a tool's code in an error. JavaScript names it first, Python names it last. */
export function lineOf(message: string): number | null {
  const inScript = /\btool:(\d+)/.exec(message)?.[1]
  const inPython = [...message.matchAll(/\bline (\d+)\b/g)].at(-1)?.[1]
  const line = Number(inScript ?? inPython)
  return line > 0 ? line : null
}
