export { HumanMessage } from '@langchain/core/messages'
export { tool } from '@langchain/core/tools'
export { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
export { createAgent } from 'langchain'
