import { defineErrors } from '#errors/define.ts'

export const DATA_RIGHTS_ERRORS = defineErrors({
  'user.sign_in_again': [
    403,
    'Your account has no password to confirm this action. Sign in again, and retry within {minutes} minutes.',
  ],
  'user.owns_organizations': [
    400,
    'You are the only owner of these organizations: {organizations}. Transfer them, or remove their other members first.',
  ],
  'user.last_administrator': [
    400,
    'You are the only system administrator. Make another user a system administrator first.',
  ],
  'import.damaged': [400, 'This file cannot be imported. {reason}'],
  'import.too_large': [400, 'This export is too large to import. {reason}'],
  'import.incomplete': [400, 'This export is incomplete. {reason}'],
  'import.invalid': [400, '{location}: {reason}'],
  'import.under_way': [409, 'Another import is in progress. Try again when it is complete.'],
  'import.daily_bytes': [
    429,
    'You can upload at most {limit} bytes of imports per day. Try again in {wait}.',
  ],
  'export.under_way': [
    409,
    'You already have an export in progress. Wait until it is complete, or cancel it.',
  ],
  'export.busy': [
    503,
    'This server is already sending {limit} exports, which is its limit. Try again in a moment.',
  ],

  'import.no_manifest': 'manifest.json is missing, so the file was cut off.',
  'import.manifest_bytes': 'manifest.json has more than {limit} bytes.',
  'import.line_bytes': 'A line of {file} has more than {limit} bytes.',
  'import.line_cut_off': '{file} ends in the middle of a line, so it was cut off.',
  'import.entry_unknown': '{file} is not part of any export.',
  'import.entry_twice': 'It contains {file} more than once.',
  'import.entry_encrypted': '{file} is encrypted.',
  'import.entry_compression': '{file} is compressed with an unsupported method.',
  'import.unpacked_bytes': 'It unpacks to more than {limit} bytes.',
  'import.unpacked_ratio': 'It unpacks to more than {limit} times its compressed size.',
  'import.checksum': 'The content of {file} does not match its checksum.',
  'import.unreadable': 'The zip archive cannot be read ({details}).',
  'import.entries': 'It has more than {limit} entries.',
  'import.records': 'It has more than {limit} records.',
  'import.line_count': '{file} has {count} lines, but manifest.json says {said}.',
  'import.of_a_person': 'It is the export of a user account. Only exports of organizations can be imported.',
  'import.version': 'It has version {version}, but this server reads version {known}.',
  'import.no_organization': 'organization is required',
  'import.not_storable': 'a record occurs twice or cannot be stored',
  'import.file_size': 'the size does not match files.jsonl',
})
