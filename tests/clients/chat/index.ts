import { agents } from './agents.ts'
import { aiSdkAnthropic, aiSdkCompatible, aiSdkOpenAi } from './ai-sdk.ts'
import { anthropic } from './anthropic.ts'
import type { ChatClient } from './client.ts'
import { instructor } from './instructor.ts'
import { langchainAnthropic, langchainOpenAi } from './langchain.ts'
import { llamaindex } from './llamaindex.ts'
import { openai } from './openai.ts'

export const CHAT_CLIENTS: readonly ChatClient[] = [
  openai,
  agents,
  aiSdkOpenAi,
  aiSdkCompatible,
  aiSdkAnthropic,
  anthropic,
  langchainOpenAi,
  langchainAnthropic,
  llamaindex,
  instructor,
]
