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

  'import.no_manifest': 'manifest.json is missing because the file was cut off. Download the export again.',
  'import.manifest_bytes':
    'manifest.json has more than {limit} bytes. Import only archives that Parley exported.',
  'import.line_bytes':
    'A line of {file} has more than {limit} bytes. Import only archives that Parley exported.',
  'import.line_cut_off':
    '{file} ends in the middle of a line because the file was cut off. Download the export again.',
  'import.entry_unknown': '{file} is not part of a Parley export. Remove it from the archive.',
  'import.entry_twice': 'The archive contains {file} more than once. Download the export again.',
  'import.entry_encrypted': '{file} is encrypted. Import the archive as Parley exported it.',
  'import.entry_compression':
    '{file} is compressed with an unsupported method. Import the archive as Parley exported it.',
  'import.unpacked_bytes':
    'The archive unpacks to more than {limit} bytes. Delete data from the organization before you export it.',
  'import.unpacked_ratio':
    'The archive unpacks to more than {limit} times its compressed size. Import the archive as Parley exported it.',
  'import.checksum': 'The content of {file} does not match its checksum. Download the export again.',
  'import.unreadable': 'The zip archive cannot be read ({details}). Download the export again.',
  'import.entries':
    'The archive has more than {limit} files. Delete chats with files from the organization before you export it.',
  'import.records':
    'The archive has more than {limit} records. Delete data from the organization before you export it.',
  'import.line_count': '{file} has {count} lines, but manifest.json says {said}. Download the export again.',
  'import.of_a_person': 'This is the export of a user account. Choose the export of an organization.',
  'import.version':
    'The archive has version {version}, but this server reads version {known}. Use the same release of Parley for the export and the import.',
  'import.no_organization': 'organization is required.',
  'import.not_storable': 'A record occurs twice or cannot be stored. Download the export again.',
  'import.file_size': 'The size of this file does not match files.jsonl. Download the export again.',
})
