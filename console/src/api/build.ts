/** Whether the server still serves the build that this page belongs to. */
export type BuildState = 'current' | 'replaced' | 'unreachable'

const ANSWER_MS_MAX = 10_000

/**
 * Asks the server which build of the console it serves. The name of a build's first script changes with every file of the
 * build, so a page that names another one belongs to another build. Never rejects.
 */
export async function askForBuild(signal: AbortSignal): Promise<BuildState> {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]')
  try {
    const answer = await fetch('/', {
      headers: { accept: 'text/html' },
      cache: 'no-store',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
    })
    // While the server builds the console, it answers with 503.
    if (!answer.ok) return 'unreachable'
    const page = await answer.text()
    return script && page.includes(script.getAttribute('src') ?? '') ? 'current' : 'replaced'
  } catch {
    return 'unreachable'
  }
}
