export { readFormat, withoutMissing } from './chat-request.ts'
export { findNamedTarget } from './find-target.ts'
export { generate, type OpenAiDependencies } from './generate.ts'
export { getModel, listModels } from './list-models.ts'
export { loadAddress } from './load-address.ts'
export { ModelParams } from './model-schemas.ts'
export { joinVisible } from './read-content.ts'
export { FILES_MAX, type FileServices, readFile } from './read-file.ts'
export { newImageBudget, readImage } from './read-image.ts'
export { responseRetention } from './responses/retention-system.ts'
export { responseSocket } from './responses/socket.ts'
export {
  type FieldNames,
  ignoredHeader,
  presentIgnored,
  readExtra,
  withIgnored,
} from './review-parameters.ts'
export { access, GENERATION_ERRORS, LIST_ERRORS, MODEL_ERRORS, query } from './route-options.ts'
export { openAiRoutes } from './routes.ts'
export { ADDRESS_MAX, COUNT_MAX, JsonSchema, Name, open, optional, Text } from './schemas.ts'
export { openAiTables } from './tables.ts'
export { readChoice } from './tool-choice.ts'
