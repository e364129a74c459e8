import { defineErrors } from '#errors/define.ts'

export const MODELS_ERRORS = defineErrors({
  'model.key_refused': '{provider} rejected the API key. Check the key of this model or connection.',
  'model.forbidden': "{provider} does not allow this API key to use {model}. Check the key's permissions.",
  'model.unknown': "{provider} has no model {model} at this URL. Check the model's ID and the base URL.",
  'model.key_forbidden': "{model} cannot be used with this API key. Check the key's permissions.",
  'model.unknown_there': "There is no model {model} at this URL. Check the model's ID and the base URL.",
  'model.no_text': '{provider} returned no text. Try again, or choose another model.',
  'model.provider_timeout': '{provider} took too long to respond. Try again.',
  'model.message_too_large': 'The message is too large for {model}. Shorten it, or start a new chat.',
  'model.prompt_too_large': 'The prompt is too large for {model}. Shorten it.',
  'model.recording_too_large': 'The recording is too large for {model}. Send a shorter one.',
  'model.text_too_large': 'The text is too large for {model}. Use smaller chunks, or choose another model.',
  'model.rate_limited': '{provider} refused the request because of its rate limit or quota. Try again later.',
  'model.failing': '{provider} does not process requests at the moment. Try again later.',
  'model.misconfigured':
    "{provider} refuses this installation's API key or the model's name. Please contact support.",
  'model.provider_error': '{provider} had an internal error (status {status}). Try again later.',
  'model.provider_error_because': '{provider} had an internal error (status {status}): {details}',
  'model.redirect':
    '{provider} responded with a redirect, and redirects are not followed. Check the base URL.',
  'model.refused': '{provider} refused the request (status {status}). Check the settings of this model.',
  'model.refused_because': '{provider} refused the request (status {status}): {details}',
  'model.broke_off': '{provider} failed while it was sending the reply. Try again.',
  'model.broke_off_because': '{provider} failed while it was sending the reply: {details}',
  'model.connection_broke': 'The connection to {provider} was lost during the reply. Try again.',
  'model.name_unknown': 'The host name of {provider} cannot be resolved. Check the base URL.',
  'model.connection_timeout':
    '{provider} cannot be reached: it did not accept the connection in time. Try again later.',
  'model.certificate':
    '{provider} cannot be reached securely: its certificate is not valid, or it does not use https. Check the base URL.',
  'model.unreachable': '{provider} cannot be reached. Check the base URL, or try again later.',
  'model.key_unsendable':
    'The API key for {provider} contains a character that is not allowed in API keys. Enter the key again.',
  'model.not_a_stream': '{provider} responded with {type} instead of an event stream. Check the base URL.',
  'model.not_an_event': '{provider} sent an event in an unexpected format. Check the base URL.',
  'model.reply_too_large':
    '{provider} sent a response that is larger than the limit. Ask for a smaller result.',
  'model.reply_too_long': 'The reply is longer than {limit} characters. Ask for a shorter one.',
  'model.timeout_stalled':
    '{provider} sent nothing for {seconds} seconds in the middle of its reply. Try again.',
  'model.timeout_embedding': '{provider} did not embed the text within {seconds} seconds. Try again.',
  'model.timeout_image': '{provider} did not generate the image within {seconds} seconds. Try again.',
  'model.timeout_video': '{provider} did not generate the video within {seconds} seconds. Try again.',
  'model.timeout_transcription':
    '{provider} did not transcribe the recording within {seconds} seconds. Try again.',
  'model.timeout_speech': '{provider} did not speak the text within {seconds} seconds. Try again.',
  'model.timeout_start': '{provider} did not start its reply within {seconds} seconds. Try again.',
  'model.incomplete': '{provider} ended the reply before it was complete. Try again.',
  'model.not_its_format': '{provider} sent a response in an unexpected format. Check the base URL.',
  'model.no_audio': 'This model does not accept audio. Choose another model.',
  'model.not_offered':
    'Parley supports no {kind} models from {provider}. Choose a model from another provider.',
  'model.no_media':
    '{provider} returned no {kind}. The request may violate its safety rules. Reword it and try again.',
  'model.no_media_because':
    '{provider} returned no {kind} ({details}). The request may violate its safety rules. Reword it and try again.',
  'model.not_fetchable': 'The result of {provider} cannot be downloaded. Try again.',
  'model.not_media': '{provider} sent a file that is not a supported {kind}. Try again.',
  'model.not_embeddings': '{provider} returned no usable embeddings for these texts. Choose another model.',
  'model.tool_input_too_large':
    'The model called a tool with more than {limit} characters of input. Ask for less at a time.',
  'model.too_many_tool_calls':
    'The model sent more than {limit} tool calls in one reply. Ask for less at a time.',
  'model.address': 'The base URL is not a valid URL. Start it with https:// or http://.',
  'model.not_openai': '{provider} does not support the OpenAI format. Choose a model from another provider.',
  'model.imagen':
    'google generates images only with its Gemini models, because Imagen was shut down. Choose a Gemini model.',
  'model.live_sound_only': '{model} accepts only live audio. Choose a model that accepts recordings.',
  'model.recording_type':
    'Recordings of this type cannot be transcribed. Send MP3, WAV, M4A, OGG, FLAC or WebM.',

  'tool.timeout': 'The tool did not finish within {seconds} seconds. Try again, or ask for less at a time.',
  'tool.failed': 'The tool failed. Try again.',
  'tool.broke': 'Something went wrong in this tool. Try again.',
  'tool.unknown': 'There is no tool named {name}. The tools are: {tools}',
  'tool.arguments_broken':
    'The tool did not run, because its arguments are not one valid JSON object: {fault}. Call it again with valid JSON.',
  'tool.not_json': 'The tool returned a value that is not JSON. Its code must return a JSON value.',

  'tool.cut_off': 'The reply ended before this tool finished. Send the message again.',
})
