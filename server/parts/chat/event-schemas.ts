import Type, { type Static } from 'typebox'
import { Body, Enum, FailedReply, messageText } from '#platform/http/schemas.ts'

export const PROMPT_TYPES = ['creative', 'task', 'question', 'continuation'] as const

export const PromptRequest = Body({
  text: messageText(20_000, 'Text to derive prompts from.'),
  num_prompts: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10, default: 1, description: 'Number of prompts to generate.' }),
  ),
  prompt_type: Type.Optional(Enum(PROMPT_TYPES, { description: 'Kind of prompts. Default: task.' })),
  model: Type.Optional(
    Enum(['chat', 'reason'], {
      description: 'Whether a chat or a reasoning model writes the prompts. Default: chat.',
    }),
  ),
})
export type PromptRequest = Static<typeof PromptRequest>

export const PromptEvent = Type.Unsafe<object>({
  title: 'PromptEvent',
  description: 'Data of an event. The last one is {"content":"DONE"} or {"error": …}.',
  anyOf: [
    Type.Object({ content: Type.String({ description: 'Next piece of the text; `DONE` at the end.' }) }),
    FailedReply,
  ],
})

export const ReplyEvent = Type.Unsafe<object>({
  title: 'ReplyEvent',
  description: 'Data of an event. The last one is {"message":"DONE"} or {"error": …}.',
  anyOf: [
    Type.Object({ message: Type.String({ description: 'Next piece of the reply; `DONE` at the end.' }) }),
    Type.Object({
      type: Type.Literal('reasoning', { description: "Marks a piece of the model's reasoning." }),
      message: Type.String({ description: 'Next piece of the reasoning.' }),
    }),
    Type.Object({
      media: Type.Object(
        {
          type: Enum(['image', 'video'], { description: 'Kind of file.' }),
          status: Enum(['generating', 'complete'], { description: 'Whether the file is complete.' }),
          progress: Type.Number({ description: 'Progress, from 0 to 1.' }),
          url: Type.Optional(Type.String({ description: 'URL of the complete file.' })),
          mime_type: Type.Optional(Type.String({ description: 'Media type of the complete file.' })),
        },
        { description: 'An image or video of the reply.' },
      ),
    }),
    FailedReply,
  ],
})
