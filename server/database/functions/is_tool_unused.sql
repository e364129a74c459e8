-- Returns whether no agent of any organization uses a tool. Tenants may call this function, because
-- the result reveals nothing else about other organizations.
CREATE OR REPLACE FUNCTION public.is_tool_unused(tool uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT NOT EXISTS (SELECT FROM agent_tools WHERE tool_id = tool)
$function$;
