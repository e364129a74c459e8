import { defineErrors } from '#errors/define.ts'

export const TOOLS_ERRORS = defineErrors({
  'tool.not_found': [404, 'Tool not found'],
  'tool.taken': [409, 'This organization has this version of a tool with this name already'],
  'tool.in_use': [409, 'This tool is used by {users}. Take it from those first.'],
  'tool.changing': [409, 'This tool was changed by somebody else at the same time. Try again.'],
  'tool.invalid': [400, '{reason}', 'validation'],
  'tool.code_invalid': [400, '{reason}', 'validation'],
  'tool.config_invalid': [400, '{reason}', 'validation'],
  'tool.function_twice': [
    400,
    'Both {first} and {second} have a function {name}: an agent can have one of them',
  ],
  'tool.category_not_found': [404, 'Tool category not found'],
  'tool.category_taken': [409, 'This organization has a tool category with this name already'],
  'tool.category_in_use': [409, 'This category has tools: {tools}. Move or delete those first.'],
})
