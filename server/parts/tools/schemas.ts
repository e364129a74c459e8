import Type, { type Static } from 'typebox'
import { PARAMETER_TYPES, type toolCategories, type tools } from '#database/schema/tools.ts'
import { Replacing } from '#platform/http/merge-fields.ts'
import {
  Body,
  CreatedAt,
  CreatedBy,
  described,
  Enum,
  InputTokens,
  idOf,
  matching,
  messageText,
  NOT_BLANK,
  Nullable,
  ObjectId,
  OrganizationId,
  OutputTokens,
  PLAIN,
  PUBLIC_NAME,
  UpdatedAt,
} from '#platform/http/schemas.ts'
import { PROVIDERS } from '#platform/models/types.ts'
import { IDENTIFIER } from './parameter-names.ts'

export type CategoryRow = typeof toolCategories.$inferSelect
export type ToolRow = typeof tools.$inferSelect

const DESCRIPTORS_MAX = 50
const REQUIREMENTS_MAX = 50
const HOSTS_MAX = 20
/** Maximum length of code in characters. check-tool.ts also limits the code's bytes. */
const CODE_CHARACTERS_MAX = 200 * 1024

const Name = Type.String({ minLength: 1, maxLength: 200, ...PUBLIC_NAME, description: 'Name, for people.' })
const Description = Type.String({ maxLength: 5_000, description: 'Description for people.' })
const Identifier = Type.String({
  minLength: 1,
  maxLength: 64,
  ...matching(
    IDENTIFIER.source,
    'must contain only letters, digits and _, and start with a letter or a single _',
  ),
  description: 'Name of the parameter or function in the code.',
})

export const NewCategory = Body({ name: Name, description: Description })
export type NewCategory = Static<typeof NewCategory>
export const CategoryChange = Body({ name: Type.Optional(Name), description: Type.Optional(Description) })
export type CategoryChange = Static<typeof CategoryChange>

export const CategoryView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    created_by: CreatedBy,
    name: Type.String({ description: 'Name of the category.' }),
    description: Type.String({ description: 'Description for people.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'ToolCategory' },
)
export type CategoryView = Static<typeof CategoryView>

const DESCRIPTOR = {
  name: Identifier,
  type: Enum(PARAMETER_TYPES, { description: 'Type of the value.' }),
  description: Type.Optional(Type.String({ maxLength: 2_000, description: 'Description for the model.' })),
  required: Type.Optional(Type.Boolean({ default: false, description: 'Whether a value is required.' })),
  default: Type.Optional(
    Type.Unsafe<string | null>({
      anyOf: [{ type: 'string', maxLength: 10_000 }, { type: 'null' }],
      description: 'Default value as text, such as `5` or `true`; JSON for list and dict. Null for none.',
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
        'Whether the value is stored encrypted and never returned. A secret has no default. By default, derived from the name (key, token, secret, password, credential).',
    }),
  ),
})
export type ConfigurationDescriptor = Static<typeof ConfigurationDescriptor>

const FUNCTION_INFO = {
  name: described(Identifier, 'Name of the function or class in the code.'),
  is_async: Type.Optional(
    Type.Boolean({
      description:
        'Derived from the code, whatever is sent. For a class, whether one of its methods is asynchronous.',
    }),
  ),
  description: Type.Optional(
    Type.String({ maxLength: 5_000, description: 'Description of the function for the model.' }),
  ),
}
const DEPLOYMENT = Body(
  {
    framework: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Language: javascript or typescript. Any other value means Python.',
    }),
    toolkit_class: Type.Boolean({ description: 'Whether the code is a class whose methods are functions.' }),
    standalone_function: Type.Boolean({ description: 'Whether the code is a single function.' }),
  },
  { description: 'How to run the code.' },
)
const Requirements = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: REQUIREMENTS_MAX,
  description: 'Packages that the code requires.',
})
const Network = Type.Array(Type.String({ minLength: 1, maxLength: 260 }), {
  maxItems: HOSTS_MAX,
  description: 'Hosts that the code can reach, such as `api.example.com` or `api.example.com:8443`.',
})

const Settings = Body(
  {
    function_info: Body(
      {
        ...FUNCTION_INFO,
        code: Type.String({
          minLength: 1,
          maxLength: CODE_CHARACTERS_MAX,
          description: 'Source code, at most 200 KB.',
        }),
      },
      { description: 'The function or class.' },
    ),
    requirements: Type.Optional(Requirements),
    deployment: DEPLOYMENT,
    network: Type.Optional(Network),
  },
  { description: 'Code of the tool and how to run it.' },
)
export type Settings = Static<typeof Settings>

const TOOL = {
  name: described(Name, 'Name of the tool.'),
  description: Description,
  category_id: idOf('the tool category'),
  is_active: Type.Boolean({ default: true, description: 'Whether agents can call the tool.' }),
  version: Type.String({ minLength: 1, maxLength: 50, ...NOT_BLANK, description: 'Version of the tool.' }),
  logo_url: Type.Unsafe<string | null>({
    anyOf: [
      {
        type: 'string',
        maxLength: 2_000,
        format: 'uri',
        ...matching('^[hH][tT][tT][pP][sS]?://', 'must start with https:// or http://'),
      },
      { type: 'null' },
    ],
    description: 'URL of the logo (http or https); null for none.',
  }),
  is_public: Type.Boolean({
    default: false,
    description: 'Whether all organizations can use the tool. They do not see its code.',
  }),
  configuration: Type.Array(ConfigurationDescriptor, {
    maxItems: DESCRIPTORS_MAX,
    description: 'Configuration values, set per agent.',
  }),
  inputs: Type.Array(InputDescriptor, {
    maxItems: DESCRIPTORS_MAX,
    description: 'Parameters that the model fills in.',
  }),
  outputs: Body(
    {
      type: Type.String({ maxLength: 100, description: 'Type of the result.' }),
      description: Type.String({ maxLength: 2_000, description: 'Description of the result.' }),
    },
    { description: 'Result of the tool.' },
  ),
  settings: Settings,
}

export const NewTool = Body({
  ...TOOL,
  is_active: Type.Optional(TOOL.is_active),
  logo_url: Type.Optional(TOOL.logo_url),
  is_public: Type.Optional(TOOL.is_public),
})
export type NewTool = Static<typeof NewTool>

export const ToolChange = Type.Partial(
  Type.Object({ ...TOOL, outputs: Replacing(TOOL.outputs), settings: Replacing(TOOL.settings) }),
  { additionalProperties: false },
)
export type ToolChange = Static<typeof ToolChange>

const DescriptorView = {
  name: Type.String({ description: 'Name of the parameter in the code.' }),
  type: Enum(PARAMETER_TYPES, { description: 'Type of the value.' }),
  description: Type.String({ description: 'Description for the model.' }),
  required: Type.Boolean({ description: 'Whether a value is required.' }),
  default: Nullable(Type.String({ description: 'Default value as text; null for none.' })),
}

export const ToolView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    created_by: Nullable(idOf('the user who created the tool; null for a tool of another organization')),
    category_id: Nullable(idOf('the tool category; null for a tool of another organization')),
    name: Type.String({ description: 'Name of the tool.' }),
    description: Type.String({ description: 'Description for people.' }),
    version: Type.String({ description: 'Version of the tool.' }),
    is_active: Type.Boolean({ description: 'Whether agents can call the tool.' }),
    is_public: Type.Boolean({ description: 'Whether all organizations can use the tool.' }),
    logo_url: Nullable(Type.String({ description: 'URL of the logo; null for none.' })),
    configuration: Type.Array(
      Type.Object({
        ...DescriptorView,
        secret: Type.Boolean({ description: 'Whether the value is stored encrypted and never returned.' }),
      }),
      { description: 'Configuration values, set per agent.' },
    ),
    inputs: Type.Array(Type.Object(DescriptorView), { description: 'Parameters that the model fills in.' }),
    outputs: Type.Object(
      {
        type: Type.String({ description: 'Type of the result.' }),
        description: Type.String({ description: 'Description of the result.' }),
      },
      { description: 'Result of the tool.' },
    ),
    settings: Type.Object(
      {
        function_info: Type.Object(
          {
            name: Type.String({ description: 'Name of the function or class in the code.' }),
            is_async: Type.Boolean({
              description: 'Whether the function, or a method of the class, is asynchronous.',
            }),
            description: Type.String({ description: 'Description of the function for the model.' }),
            code: Nullable(
              Type.String({ description: 'Source code; null for a tool of another organization.' }),
            ),
          },
          { description: 'The function or class.' },
        ),
        requirements: Type.Array(Type.String(), { description: 'Packages that the code requires.' }),
        deployment: Type.Object(
          {
            framework: Type.String({ description: 'Language of the code.' }),
            toolkit_class: Type.Boolean({
              description: 'Whether the code is a class whose methods are functions.',
            }),
            standalone_function: Type.Boolean({ description: 'Whether the code is a single function.' }),
          },
          { description: 'How to run the code.' },
        ),
        network: Type.Array(Type.String(), { description: 'Hosts that the code can reach.' }),
      },
      { description: 'Code of the tool and how to run it.' },
    ),
    functions: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the function.' }),
        description: Type.String({ description: 'Description of the function.' }),
        parameters: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          description: 'Parameters, as a JSON Schema.',
        }),
      }),
      { description: 'Functions as the model sees them.' },
    ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    title: 'Tool',
    description:
      'A public tool of another organization has null in `created_by`, `category_id`, `function_info.code` and configuration defaults.',
  },
)
export type ToolView = Static<typeof ToolView>

export const ToolTest = Body({
  input_prompt: messageText(100_000, 'Prompt for the model.'),
  config_items: Type.Array(
    Body({
      name: Type.String({
        minLength: 1,
        maxLength: 64,
        ...PLAIN,
        description: 'Name of the configuration value.',
      }),
      value: Type.Unsafe<unknown>({
        type: ['string', 'boolean', 'number', 'array', 'object'],
        items: {},
        description: 'Value of the type that the tool declares, or that value as text.',
      }),
    }),
    { maxItems: DESCRIPTORS_MAX, description: 'Configuration values of the tool.' },
  ),
  provider: Enum(PROVIDERS, { description: 'Provider of the model.' }),
  model_name: Type.String({
    minLength: 1,
    maxLength: 200,
    ...PLAIN,
    description: "The provider's name of the model.",
  }),
  api_key: Type.String({
    maxLength: 2_000,
    description:
      'API key for the provider. Used for this request only and never stored. The demo provider ignores it.',
  }),
  instructions: Type.Optional(
    Type.String({ maxLength: 100_000, description: 'System prompt for the model.' }),
  ),
  base_url: Type.Optional(
    Type.String({
      format: 'uri',
      maxLength: 2_000,
      description:
        "Base URL of the provider's API. Default: the provider's public one. Required for ollama and openai-compatible.",
    }),
  ),
})
export type ToolTest = Static<typeof ToolTest>

export const ToolTestResult = Type.Object(
  {
    result: Type.String({ description: 'Final text of the model.' }),
    execution_time: Type.Number({ description: 'Total duration, in seconds.' }),
    token_usage: Type.Object(
      { input_tokens: InputTokens, output_tokens: OutputTokens },
      { description: 'Usage of all model calls.' },
    ),
    tool_calls: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the called function.' }),
        input: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          description: 'Arguments of the call.',
        }),
        output: Type.Unsafe<unknown>({ description: 'Result of the call; null if it failed.' }),
        successful: Type.Boolean({ description: 'Whether the call succeeded.' }),
        error: Nullable(Type.String({ description: 'Reason why the call failed; null if it did not.' })),
        execution_time: Type.Number({ description: 'Duration of the call, in seconds.' }),
      }),
      { description: 'Tool calls, in order.' },
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

/** Returns a tool for its own organization. With `isForeign`, omits fields that other organizations must not see. */
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
