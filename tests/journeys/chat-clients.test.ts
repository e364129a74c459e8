import { CHAT_CLIENTS } from '#tests/clients/chat/index.ts'
import { testChatClients } from '#tests/support/test-chat-clients.ts'

/** Runs other projects' clients against this API. Only the address, the key and the model's name are Parley's. */
testChatClients(CHAT_CLIENTS)
