import { defineErrors, notFound } from '#errors/define.ts'

export const TOOLS_ERRORS = defineErrors({
  'tool.not_found': notFound('Tool not found', 'tool_id'),
  'tool.taken': [409, 'A tool with this name and version already exists. Choose another name or version.'],
  'tool.in_use': [409, 'This tool is used by {users}. Remove it there first.'],
  'tool.changing': [409, 'Another request changed this tool at the same time. Try again.'],
  'tool.invalid': [400, '{reason}', 'validation'],
  'tool.code_invalid': [400, '{reason}', 'validation'],
  'tool.config_invalid': [400, '{reason}', 'validation'],
  'tool.function_twice': [
    400,
    '{first} and {second} both have a function named {name}. Remove one of these tools from the agent.',
  ],
  'tool.category_not_found': notFound('Tool category not found', 'category_id'),
  'tool.category_taken': [409, 'A tool category with this name already exists. Choose another name.'],
  'tool.category_in_use': [409, 'This category contains tools: {tools}. Move or delete them first.'],

  'tool.no_function': 'The code has no function named {name}. Define it, or change function_info.name.',
  'tool.input_unknown': '{name} has no parameter {input}. Remove it from inputs, or add it to the code.',
  'tool.input_undescribed':
    '{name} requires {input}. Describe it in inputs, or give it a default in the code.',
  'tool.too_many_methods': 'The class has {count} public methods. A tool can have at most {limit}.',
  'tool.input_of_no_method':
    'No method of the class has a parameter {input}. Remove it from inputs, or add it to the code.',
  'tool.input_optional':
    '{name} requires {input}. Make that input required, or give it a default in inputs or in the code.',
  'tool.name_unsupported':
    'Providers do not accept the name {name}. Use at most 64 letters, digits and underscores, and do not start with a digit or two underscores.',
  'tool.requirements': 'settings.requirements: {reason}',
  'tool.secret_default':
    'must be null because {name} is a secret. If the value is not secret, send secret: false.',
  'tool.name_twice': 'must be unique, but {name} occurs twice.',
  'tool.default_type': 'must be {kind}, written as a string, because the type is {type}.',
  'tool.one_form': 'must set exactly one of toolkit_class and standalone_function to true.',
  'tool.code_too_large': 'must have at most {limit} bytes.',
  'tool.host': 'must be a host such as api.example.com or api.example.com:8443, without a scheme, path or *.',
  'tool.host_unreachable': 'cannot be reached: {reason}',
  'tool.not_configured': 'This tool has no value for {name}. The creator of the agent can set it.',
  'tool.unconfirmed':
    'The author of {name} changed this tool after it was configured here. To let it run with the stored configuration, a person who may edit the agent must save its tools again.',
  'tool.argument_unknown': 'There is no parameter {name}. The parameters are: {tools}.',
  'tool.no_arguments': 'There is no parameter {name}. This tool has no parameters.',
  'tool.argument_needed': '{name} is required.',
  'tool.argument_type': '{name} must be {kind}, not {value}.',
  'tool.twice': 'Tool {name} occurs twice. Remove one of the entries.',
  'tool.config_too_large': 'the configuration has more than {limit} characters. Shorten its values.',
  'tool.config_refused': 'Tool {name}: {reason}',
  'tool.config_items': 'config_items: {reason}',
  'tool.base_url': 'base_url: {reason}',
  'tool.test_timeout': 'The test did not finish within {seconds} seconds. Reduce the work of the code.',
})
