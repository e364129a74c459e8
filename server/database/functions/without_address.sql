-- Removes an email address from a JSON document. Keeps longer addresses that contain the address.
CREATE OR REPLACE FUNCTION public.without_address(said jsonb, address text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select regexp_replace(said::text,
    '(?<![a-z0-9._%+-])' || regexp_replace(address, '([^a-z0-9@])', '\\\1', 'g') || '(?![a-z0-9-]|\.[a-z0-9])',
    '(removed)', 'gi')::jsonb
$function$;
