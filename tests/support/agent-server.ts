import { readConfig } from '#config'
import { startServer } from '../../server/main.ts'
import { endlessTool, PlayedAgents, succeeded, tool } from './played-agents.ts'

/*
 * A server in a process of its own, with an agent that is played: AGENT_ID, whose model is that of the emulated
 * provider at PROVIDER_URL. Its tool `book` answers much, and `endless` never.
 */

const { AGENT_ID, PROVIDER_URL = '', ...environment } = process.env
const agents = new PlayedAgents(() => PROVIDER_URL)
const book = tool('book', async () => succeeded({ text: 'word '.repeat(5_000) }))
agents.add('emu', [book, endlessTool('endless').tool], { id: AGENT_ID as string })
await startServer(readConfig(environment), undefined, { agents })
