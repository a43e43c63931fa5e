"""How does a rank execute? Loads artifacts; needs only torch, numpy and safetensors."""
