import Type, { type Static } from 'typebox'
import { Enum } from '#platform/http/schemas.ts'

export const ModelParams = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 200, description: 'Name or ID of the model or agent.' }),
})

export const Model = Type.Object(
  {
    id: Type.String({ description: 'Value for `model` in requests.' }),
    object: Enum(['model'], { description: 'Always `model`.' }),
    created: Type.Integer({ description: 'When the model was created, in Unix seconds.' }),
    owned_by: Type.String({ description: 'Provider of the model, or `agent` for an agent.' }),
  },
  { title: 'OpenAiModel' },
)

export const ModelList = Type.Object(
  {
    object: Enum(['list'], { description: 'Always `list`.' }),
    data: Type.Array(Model, { description: 'Models and agents that the caller can use.' }),
  },
  { title: 'OpenAiModelList' },
)
export type ModelList = Static<typeof ModelList>
