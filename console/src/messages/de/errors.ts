import type { ErrorMessages } from '../error-messages.ts'
import chat from './errors/chat.ts'
import models from './errors/models.ts'
import organization from './errors/organization.ts'
import resources from './errors/resources.ts'

export default { ...chat, ...models, ...organization, ...resources } satisfies ErrorMessages
