import Type, { type Static } from 'typebox'
import { PARAMETER_TYPES, type toolCategories, type tools } from '#database/schema/tools.ts'
import { Body, Enum, matching, NOT_BLANK, Nullable, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { PROVIDERS } from '#platform/models/types.ts'
import { IDENTIFIER } from './parameter-names.ts'

export type CategoryRow = typeof toolCategories.$inferSelect
export type ToolRow = typeof tools.$inferSelect

const DESCRIPTORS_MAX = 50
const REQUIREMENTS_MAX = 50
const HOSTS_MAX = 20
/** In characters; manage-tools counts the bytes. */
const CODE_CHARACTERS_MAX = 200 * 1024

const Name = Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK })
const Description = Type.String({ maxLength: 5_000 })
const Identifier = Type.String({
  minLength: 1,
  maxLength: 64,
  ...matching(
    IDENTIFIER.source,
    'must be a name of letters, digits and _ that begins with a letter or a single _',
  ),
})

export const NewCategory = Body({ name: Name, description: Description })
export type NewCategory = Static<typeof NewCategory>
export const CategoryChange = Body({ name: Type.Optional(Name), description: Type.Optional(Description) })
export type CategoryChange = Static<typeof CategoryChange>

export const CategoryView = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    created_by: Uuid,
    name: Type.String(),
    description: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'ToolCategory' },
)
export type CategoryView = Static<typeof CategoryView>

const DESCRIPTOR = {
  name: Identifier,
  type: Enum(PARAMETER_TYPES),
  description: Type.Optional(Type.String({ maxLength: 2_000 })),
  required: Type.Optional(Type.Boolean({ default: false })),
  default: Type.Optional(
    Type.Unsafe<string | null>({
      anyOf: [{ type: 'string', maxLength: 10_000 }, { type: 'null' }],
      description:
        'What counts where no value is given, as text: `5`, `true`, for list and dict as JSON. null: none',
    }),
  ),
}
const InputDescriptor = Body(DESCRIPTOR)
export type InputDescriptor = Static<typeof InputDescriptor>

const ConfigurationDescriptor = Body({
  ...DESCRIPTOR,
  secret: Type.Optional(
    Type.Boolean({
      description:
        'A secret has no default, is kept encrypted and shown to nobody again. Guessed from the name where absent (key, token, secret, password, credential)',
    }),
  ),
})
export type ConfigurationDescriptor = Static<typeof ConfigurationDescriptor>

const FUNCTION_INFO = {
  name: Identifier,
  is_async: Type.Optional(
    Type.Boolean({
      description: 'Told by the code, whatever is sent; of a class: whether one of its methods is',
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 5_000, description: 'What a model is told of it' })),
}
const DEPLOYMENT = Body({
  framework: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'javascript or typescript; any other word is Python',
  }),
  toolkit_class: Type.Boolean(),
  standalone_function: Type.Boolean(),
})
const Requirements = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: REQUIREMENTS_MAX })
const Network = Type.Array(Type.String({ minLength: 1, maxLength: 260 }), {
  maxItems: HOSTS_MAX,
  description: 'The hosts that the code may reach, such as api.example.com or api.example.com:8443',
})

const Settings = Body({
  function_info: Body({
    ...FUNCTION_INFO,
    code: Type.String({ minLength: 1, maxLength: CODE_CHARACTERS_MAX, description: 'At most 200 KB' }),
  }),
  requirements: Type.Optional(Requirements),
  deployment: DEPLOYMENT,
  network: Type.Optional(Network),
})
export type Settings = Static<typeof Settings>

const TOOL = {
  name: Name,
  description: Description,
  category_id: Uuid,
  is_active: Type.Boolean({ default: true, description: 'One that is not is left out of what agents call' }),
  version: Type.String({ minLength: 1, maxLength: 50, ...NOT_BLANK }),
  logo_url: Type.Unsafe<string | null>({
    anyOf: [
      {
        type: 'string',
        maxLength: 2_000,
        format: 'uri',
        ...matching('^[hH][tT][tT][pP][sS]?://', 'must begin with https:// or http://'),
      },
      { type: 'null' },
    ],
    description: 'http or https',
  }),
  is_public: Type.Boolean({
    default: false,
    description: 'Whether all organizations may use it; they are not shown its code',
  }),
  configuration: Type.Array(ConfigurationDescriptor, { maxItems: DESCRIPTORS_MAX }),
  inputs: Type.Array(InputDescriptor, { maxItems: DESCRIPTORS_MAX }),
  outputs: Body({ type: Type.String({ maxLength: 100 }), description: Type.String({ maxLength: 2_000 }) }),
  settings: Settings,
}

export const NewTool = Body({
  ...TOOL,
  is_active: Type.Optional(TOOL.is_active),
  logo_url: Type.Optional(TOOL.logo_url),
  is_public: Type.Optional(TOOL.is_public),
})
export type NewTool = Static<typeof NewTool>

export const ToolChange = Type.Partial(Type.Object(TOOL), { additionalProperties: false })
export type ToolChange = Static<typeof ToolChange>

const DescriptorView = {
  name: Type.String(),
  type: Enum(PARAMETER_TYPES),
  description: Type.String(),
  required: Type.Boolean(),
  default: Nullable(Type.String()),
}

export const ToolView = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    created_by: Nullable(Uuid),
    category_id: Nullable(Uuid),
    name: Type.String(),
    description: Type.String(),
    version: Type.String(),
    is_active: Type.Boolean(),
    is_public: Type.Boolean(),
    logo_url: Nullable(Type.String()),
    configuration: Type.Array(Type.Object({ ...DescriptorView, secret: Type.Boolean() })),
    inputs: Type.Array(Type.Object(DescriptorView)),
    outputs: Type.Object({ type: Type.String(), description: Type.String() }),
    settings: Type.Object({
      function_info: Type.Object({
        name: Type.String(),
        is_async: Type.Boolean(),
        description: Type.String(),
        code: Nullable(Type.String()),
      }),
      requirements: Type.Array(Type.String()),
      deployment: Type.Object({
        framework: Type.String(),
        toolkit_class: Type.Boolean(),
        standalone_function: Type.Boolean(),
      }),
      network: Type.Array(Type.String()),
    }),
    functions: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        parameters: Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'A JSON Schema' }),
      }),
      { description: 'What a model is told' },
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: 'Tool',
    description:
      "Of another organization's public tool created_by, category_id, function_info.code and the defaults of its configuration are null.",
  },
)
export type ToolView = Static<typeof ToolView>

export const ToolTest = Body({
  input_prompt: Type.String({ minLength: 1, maxLength: 100_000, ...NOT_BLANK }),
  config_items: Type.Array(
    Body({
      name: Type.String({ minLength: 1, maxLength: 64 }),
      value: Type.Unsafe<unknown>({
        type: ['string', 'boolean', 'number', 'array', 'object'],
        description: 'Of the type that the tool asks for, or that as text',
      }),
    }),
    { maxItems: DESCRIPTORS_MAX },
  ),
  provider: Enum(PROVIDERS),
  model_name: Type.String({ minLength: 1, maxLength: 200 }),
  api_key: Type.String({
    maxLength: 2_000,
    description: 'For the provider; used for this request and kept nowhere. demo looks at none',
  }),
  instructions: Type.Optional(Type.String({ maxLength: 100_000 })),
  base_url: Type.Optional(
    Type.String({
      format: 'uri',
      maxLength: 2_000,
      description:
        "The address of the provider's API. Default: the provider's public one. Required for ollama and openai-compatible.",
    }),
  ),
})
export type ToolTest = Static<typeof ToolTest>

export const ToolTestResult = Type.Object(
  {
    result: Type.String({ description: 'What the model said last' }),
    execution_time: Type.Number({ description: 'Seconds, with all that the model and the tool did' }),
    token_usage: Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }),
    tool_calls: Type.Array(
      Type.Object({
        name: Type.String(),
        input: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
        output: Type.Unsafe<unknown>({ description: 'What the tool answered; null where it failed' }),
        successful: Type.Boolean(),
        error: Nullable(Type.String()),
        execution_time: Type.Number({ description: 'Seconds that the tool took' }),
      }),
    ),
  },
  { title: 'ToolTestResult' },
)
export type ToolTestResult = Static<typeof ToolTestResult>

export const viewCategory = (row: CategoryRow): CategoryView => ({
  id: row.id,
  organization_id: row.organizationId,
  created_by: row.createdBy,
  name: row.name,
  description: row.description,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

/** A tool as its organization sees it; or, where `isForeign`, as all others do. */
export function viewTool(row: ToolRow, isForeign: boolean): ToolView {
  const { function_info: info, requirements, deployment, network = [] } = row.settings
  return {
    id: row.id,
    organization_id: row.organizationId,
    created_by: isForeign ? null : row.createdBy,
    category_id: isForeign ? null : row.categoryId,
    name: row.name,
    description: row.description,
    version: row.version,
    is_active: row.isActive,
    is_public: row.isPublic,
    logo_url: row.logoUrl,
    configuration: row.configuration.map((descriptor) => ({
      ...descriptor,
      default: isForeign ? null : descriptor.default,
      secret: descriptor.secret ?? false,
    })),
    inputs: row.inputs,
    outputs: row.outputs,
    settings: {
      function_info: { ...info, code: isForeign ? null : info.code },
      requirements,
      deployment,
      network,
    },
    functions: row.functions,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
