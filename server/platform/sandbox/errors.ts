import { defineErrors } from '#errors/define.ts'

export const SANDBOX_ERRORS = defineErrors({
  'sandbox.no_network':
    'This tool has no network access and cannot reach {host}. Add the host to its network list.',
  'sandbox.host_refused': "{host} is not in this tool's network list. Add it to allow requests to it.",
  'sandbox.requests':
    "A tool call can send at most {limit} HTTP requests. Reduce the requests in the tool's code.",
  'sandbox.answers_too_large':
    'The HTTP responses of a tool call can have at most {megabytes} MB in total. Request less data.',
  'sandbox.method':
    'The HTTP method {method} is not supported. Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.',
  'sandbox.headers':
    'An HTTP request can have at most {limit} headers with {characters} characters in total. Send fewer or shorter headers.',
  'sandbox.request_too_large': 'The body of an HTTP request can have at most {kilobytes} KB. Send less data.',
  'sandbox.too_much_at_once':
    'The code has too many open requests and timers. Wait for some of them before you start more.',
  'sandbox.not_understood': 'The process that runs the code sent an invalid message. Try again.',
  'sandbox.timeout': 'The code took longer than {seconds} seconds. Reduce its work.',
  'sandbox.output': 'The code printed too much and was stopped. Print less.',
  'sandbox.memory': 'The code needs more memory than the limit. Process less data at a time.',
  'sandbox.crashed': 'The process that runs the code ended before it returned a result. Try again.',
  'sandbox.functions_unclear':
    'A function of the code has a name or parameters that cannot be read. Use only letters, digits and underscores in names.',
  'sandbox.no_methods': 'The class has no public methods. Add one.',
  'sandbox.task_too_large':
    'The code, input and configuration are together larger than {megabytes} MB. Shorten one of them.',
  'sandbox.no_deno':
    'This server cannot run code because Deno is not installed. Ask the operator of this server to install it.',
  'sandbox.unavailable': 'This server cannot run code right now. Try again in a moment.',
  'sandbox.stopping': 'The server is stopping. Try again in a moment.',
  'sandbox.busy': 'Too many tools are running. Try again in a moment.',
  'sandbox.packages_max':
    'The requirements include more than {limit} packages, counting dependencies. Remove some.',
  'sandbox.packages_python_only':
    '{name} is not available: only Python code can use packages. Remove it from the requirements.',
  'sandbox.requirement': '"{text}" is not a valid requirement. Write name, or name==version.',
  'sandbox.standard_library': "Remove {name} from the requirements: it is part of Python's standard library.",
  'sandbox.package_unavailable':
    '{name} is not one of the packages that the operator of this server provides. Remove it, or ask the operator to add it.',
  'sandbox.dependency_unavailable':
    '{name}, which {dependent} requires, is not one of the packages that the operator of this server provides. Ask the operator to add it.',
  'sandbox.package_missing':
    '{name} is listed in SHA256SUMS, but its file {file} is missing. The operator of this server must add the file.',
  'sandbox.package_changed':
    '{name} cannot be used because its file does not match SHA256SUMS. The operator of this server must replace the file.',

  'sandbox.functions_max':
    'The code has no functions that can be read, or more than {limit}. Define 1 to {limit} functions.',
})
