import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { CATEGORY, FIND_ORDER } from '#platform/http/example-values.ts'
import { confirms, idOf, OrgId, PageOf, PageQuery, searchedIn } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { MODEL_FAILURES } from '../llm/index.ts'
import { createCategory, deleteCategory, getCategory, updateCategory } from './manage-categories.ts'
import { createTool, deleteTool, getOwnTool, updateTool } from './manage-tools.ts'
import { findTool, readCategories, readTools } from './read-tools-system.ts'
import {
  CategoryChange,
  CategoryView,
  NewCategory,
  NewTool,
  ToolChange,
  ToolTest,
  ToolTestResult,
  ToolView,
  viewCategory,
  viewTool,
} from './schemas.ts'
import { testTool } from './test-tool.ts'

const InOrganization = Type.Object({ org_id: OrgId })
const OneCategory = Type.Object({ org_id: OrgId, category_id: idOf('the tool category') })
const OneTool = Type.Object({ org_id: OrgId, tool_id: idOf('the tool') })
const Page = Type.Object(PageQuery)
const EXAMPLE_TOOL = {
  name: 'Find order',
  description: 'Finds an order by its number.',
  category_id: CATEGORY,
  version: '1.0.0',
  configuration: [
    {
      name: 'api_key',
      type: 'str' as const,
      description: 'Key of the shop.',
      required: true,
      secret: true,
    },
  ],
  inputs: [
    {
      name: 'order_number',
      type: 'str' as const,
      description: 'Number of the order.',
      required: true,
    },
  ],
  outputs: { type: 'dict', description: 'Status and carrier of the order.' },
  settings: {
    function_info: {
      name: 'find_order',
      description: 'Finds an order by its number.',
      code: FIND_ORDER,
    },
    requirements: [],
    network: ['shop.fernhill.example'],
    deployment: { framework: 'python', toolkit_class: false, standalone_function: true },
  },
}
/** Errors of the routes that create or update a tool. */
const SAVING = [
  'org.not_found',
  'tool.invalid',
  'tool.code_invalid',
  'tool.category_not_found',
  'tool.taken',
  'server.unavailable',
] as const

const categoryRoutes = (services: Services): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/tools/list_categories',
    summary: 'List the tool categories of your organizations, newest first',
    access: { permission: 'tool:read', inEvery: 'organization' },
    query: Page,
    reply: [200, PageOf(CategoryView, 'ToolCategoryPage')],
    errors: ['request.invalid_cursor'],
    async handler({ scopes, query }) {
      const page = await readCategories(services, organizationsOf(scopes), query)
      return { ...page, data: page.data.map(viewCategory) }
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/tools/create_category',
    summary: 'Create a tool category',
    access: { permission: 'tool:write', orgOf: 'query' },
    query: InOrganization,
    body: NewCategory,
    example: { name: 'Orders', description: 'Tools for the shop.' },
    effects: 'database',
    reply: [201, CategoryView],
    errors: ['org.not_found', 'tool.category_taken'],
    handler: ({ scope, body }) => createCategory(scope, body),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/tools/update_category',
    summary: 'Update a tool category',
    access: { permission: 'tool:write', orgOf: 'query' },
    query: OneCategory,
    body: CategoryChange,
    example: { description: 'Tools for the shop.' },
    effects: 'database',
    current: ({ scope, query }) => getCategory(scope, query.category_id),
    reply: [200, CategoryView],
    errors: ['org.not_found', 'tool.category_not_found', 'tool.category_taken'],
    handler: ({ scope, query, body }) => updateCategory(scope, query.category_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/tools/delete_category',
    summary: 'Delete an empty tool category',
    access: { permission: 'tool:delete', orgOf: 'query' },
    query: OneCategory,
    effects: 'database',
    reply: confirms('Tool category deleted'),
    errors: ['org.not_found', 'tool.category_not_found', 'tool.category_in_use'],
    async handler({ scope, query }) {
      await deleteCategory(scope, query.category_id)
    },
  }),
]

export const toolRoutes = (services: Services): Route[] => [
  ...categoryRoutes(services),
  defineRoute({
    method: 'POST',
    url: '/api/tools',
    summary: 'Create a tool',
    description:
      'Parley loads the code once, in the sandbox, to check that its function accepts `inputs`. In Python, ' +
      '`function_info.name` is a function or coroutine that takes the inputs as keyword arguments. In JavaScript ' +
      'and TypeScript, it is a top-level function that takes one object. With `toolkit_class`, it is a class ' +
      'that takes the configuration; its public methods are the functions, and `inputs` adds to the description ' +
      'of parameters with the same name. The global `config` also has the configuration. ' +
      'Name and version together are unique in the organization.',
    access: { permission: 'tool:write', orgOf: 'query' },
    query: InOrganization,
    body: NewTool,
    example: EXAMPLE_TOOL,
    effects: 'outside',
    reply: [201, ToolView],
    errors: SAVING,
    handler: ({ scope, body }) => createTool(services, scope, body),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/tools',
    summary: 'Update a tool',
    description:
      'Omitted fields stay unchanged. `settings`, `inputs` and `configuration` are each replaced as a whole. Parley ' +
      'loads the code again. Agents use the change from their next reply on. Agents of other organizations lose ' +
      'a tool that is no longer public or active.',
    access: { permission: 'tool:write', orgOf: 'query' },
    query: OneTool,
    body: ToolChange,
    example: { is_active: true },
    effects: 'outside',
    current: ({ scope, query }) => getOwnTool(scope, query.tool_id),
    reply: [200, ToolView],
    errors: [...SAVING, 'tool.not_found', 'tool.changing'],
    handler: ({ scope, query, body }) => updateTool(services, scope, query.tool_id, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/tools/list_all',
    summary: 'List the tools of your organizations and the public ones, newest first',
    description: 'A page can have fewer than `limit` tools if their code is long.',
    access: { permission: 'tool:read', inEvery: 'organization' },
    query: Type.Object({ ...searchedIn('the name or description'), ...PageQuery }),
    reply: [200, PageOf(ToolView, 'ToolPage')],
    errors: ['request.invalid_cursor'],
    async handler({ scopes, query }) {
      const own = organizationsOf(scopes)
      const page = await readTools(services, own, query)
      return { ...page, data: page.data.map((row) => viewTool(row, !own.includes(row.organizationId))) }
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/tools',
    summary: 'Get a tool',
    access: { permission: 'tool:read', orgOf: { tool: 'tool_id' } },
    query: Type.Object({ tool_id: idOf('the tool') }),
    reply: [200, ToolView],
    errors: ['tool.not_found'],
    async handler({ scope, query }) {
      const row = await findTool(services, scope.organizationId, query.tool_id)
      return viewTool(row, row.organizationId !== scope.organizationId)
    },
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/tools',
    summary: 'Delete an unused tool',
    access: { permission: 'tool:delete', orgOf: 'query' },
    query: OneTool,
    effects: 'database',
    reply: confirms('Tool deleted'),
    errors: ['org.not_found', 'tool.not_found', 'tool.in_use'],
    async handler({ scope, query }) {
      await deleteTool(services, scope, query.tool_id)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/tools/test_tool',
    summary: 'Have a language model call a tool',
    description:
      'Calls the model with your API key, which is used for this request only and never stored, so it costs no ' +
      'credits. The tool runs with `config_items` as its configuration. A failing tool is not an error: ' +
      '`tool_calls` has the reason. Ends after 60 seconds.',
    access: { permission: 'tool:execute', orgOf: { tool: 'tool_id' } },
    query: Type.Object({ tool_id: idOf('the tool') }),
    body: ToolTest,
    example: {
      input_prompt: 'Where is order FH-1042?',
      config_items: [{ name: 'api_key', value: 'shop_5tR8' }],
      provider: 'openai',
      model_name: 'gpt-5-mini',
      api_key: 'sk-proj-4Zp0wX7u',
    },
    effects: 'outside once',
    reply: [200, ToolTestResult],
    errors: ['tool.not_found', 'tool.config_invalid', 'llm.base_url_needed', ...MODEL_FAILURES],
    handler: ({ scope, query, body }) => testTool(services, scope, query.tool_id, body),
  }),
]

/** Returns the ids of the scopes' organizations. If there are none, lists are empty and also omit public tools. */
const organizationsOf = (scopes: { organizationId: string }[]): string[] =>
  scopes.map(({ organizationId }) => organizationId)
