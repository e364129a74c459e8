import { createTransport } from '@parley/client'

/** Whether the server still serves the console build that this page was loaded from. */
export type BuildState = 'current' | 'replaced' | 'unreachable'

/** Sends no credentials, because the console's page is public. */
const send = createTransport({ answerTimeoutMs: 10_000 })

/**
 * Returns whether the server still serves this page's build. The file name of the console's script contains a hash of
 * the whole build, so the server's current page names a different script after an update. Never rejects.
 */
export async function askForBuild(signal: AbortSignal): Promise<BuildState> {
  const script = document.querySelector<HTMLLinkElement>('link#script')
  try {
    // While the server is building the console, it responds with 503. The request then throws.
    const answer = await send('/', { headers: { accept: 'text/html' }, cache: 'no-store', signal })
    const page = await answer.text()
    return script && page.includes(script.getAttribute('href') ?? '') ? 'current' : 'replaced'
  } catch {
    return 'unreachable'
  }
}
