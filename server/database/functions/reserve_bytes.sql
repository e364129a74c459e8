-- Adds bytes to those that an organization stores. Returns null, or the limit that they would exceed: then it adds none. A
-- negative number is always added. The lock on the organization's row decides between concurrent callers.
CREATE OR REPLACE FUNCTION public.reserve_bytes(organization uuid, added bigint, default_limit bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  update organizations set stored_bytes = stored_bytes + added
  where id = organization
    and (added <= 0 or stored_bytes + added <= coalesce((features ->> 'file_upload')::numeric, default_limit));
  if found then
    return null;
  end if;
  return (select coalesce((features ->> 'file_upload')::numeric, default_limit) from organizations where id = organization);
end $function$;
