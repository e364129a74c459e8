import { FREEZES } from '#tests/support/freezes.ts'
import type { Row } from './row.ts'
import { watchOthers } from './watch-others.ts'

/** Copies of each attack at the same time. Without its defense, they stop the server for longer than others wait. */
const COPIES = 4

/** Sends cheap requests whose handling could take time that grows faster than they do. Others must be served meanwhile. */
export const freezes: Row = {
  name: 'freezes',
  cases: { full: FREEZES.length, commit: FREEZES.length },
  async run(stage, { cases }) {
    const failures: string[] = []
    const chosen = FREEZES.slice(0, cases)
    const watcher = await stage.signUp()
    for (const { name, run } of chosen) {
      const others = watchOthers(stage, watcher)
      const attack = async () => run(stage, await stage.signUp(), stage.provider.url)
      const outcomes = await Promise.all(Array.from({ length: COPIES }, attack))
      const fault = await others.end()
      if (fault !== null) failures.push(`${name} (${outcomes.join('; ')}): ${fault}`)
    }
    return { cases: chosen.length, failures }
  },
  brokenBy: [
    {
      without: 'the end of the search for passages that have none',
      edits: [
        {
          file: 'server/platform/models/prompt-elements.ts',
          text: '    if (to < 0) break',
          replacement: '    if (to < 0) continue',
        },
      ],
    },
  ],
}
