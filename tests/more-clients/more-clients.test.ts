import { testChatClients } from '../support/test-chat-clients.ts'
import { mastra } from './mastra.ts'
import { promptfooClient } from './promptfoo.ts'
import { token } from './token.ts'

/** Runs clients that are too large for every run of the tests (`npm run test:clients`). */
testChatClients([mastra, token, promptfooClient])
